"""Sentences built from numbers: say_* takes analysed data and gives a Statement.

No number is typed: each comes from a frame and is kept with its value and its rounding. Every
status an analysis can give has its own wording, so that "at least" is never read as "is".
"""
