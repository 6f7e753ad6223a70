"""elbencho: results in JSON or CSV, and its live CSV over time."""
