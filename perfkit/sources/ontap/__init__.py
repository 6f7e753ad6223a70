"""ONTAP's quality of service: policies, their commands, and what ``qos statistics`` prints."""
