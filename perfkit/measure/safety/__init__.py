"""What may be written to, and what may be removed: the checks that the load generators lack.

``files``: a file that perfkit makes inside the named directory. ``devices``: a device that was
checked, agreed to and claimed. ``judge``: the rules over the facts that ``perfkit.measure.probe``
finds here or on a remote host.
"""

from perfkit.measure.safety.devices import TargetDevice, claimed_device
from perfkit.measure.safety.files import (
    RESERVE_BYTES,
    TargetFile,
    check_directory,
    check_room,
    check_target,
    claimed_file,
    folder_with_less_room,
    free_bytes,
)
from perfkit.measure.safety.judge import (
    Consent,
    Refusal,
    check_device,
    check_directory_facts,
    identity,
    refusals,
)

Target = TargetFile | TargetDevice
"""What is measured: a file of perfkit's own, or a device."""

__all__ = [
    "RESERVE_BYTES",
    "Consent",
    "Refusal",
    "Target",
    "TargetDevice",
    "TargetFile",
    "check_device",
    "check_directory",
    "check_directory_facts",
    "check_room",
    "check_target",
    "claimed_device",
    "claimed_file",
    "folder_with_less_room",
    "free_bytes",
    "identity",
    "refusals",
]
