"""Tables for print: table_* takes analysed data and gives a Table, its units in the header."""
