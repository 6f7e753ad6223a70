"""What one piece of evidence answers by itself: what a store keeps of it beside its tables.

A source names modules of this folder (``Source.asks``); the ``answers`` of each takes a reading.
"""
