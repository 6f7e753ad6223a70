"""The same study measured and reported again and again, unattended.

A schedule file names entries; each has a calendar, and each moment of the calendar is a slot. A
slot is run at most once to an outcome, whoever calls: systemd, cron, the daemon, a person. What is
known of past slots stands in a small state file beside the schedule; a report's own folder says
what it is, so that the state can be completed from the folders after a crash.
"""
