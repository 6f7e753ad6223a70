"""A made /sys and /proc: disks, partitions, mounts and holders as the kernel would show them."""

from __future__ import annotations

from pathlib import Path


class Tree:
    """A root folder for the probe, filled piece by piece."""

    def __init__(self, root: Path):
        self.root = root
        self._mounts: list[str] = []
        self.put("proc/swaps", "Filename Type Size Used Priority\n")
        self.disk("sda", "8:0", model="BOOT", serial="B1", partitions=["8:1"])
        self.mount("8:1", "/", source="/dev/sda1")

    def put(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def disk(self, name, number, *, size=2048, partitions=(), model=None, serial=None, **files):
        """A whole disk; further files by path below it, "/" written as "__"."""
        base = f"sys/block/{name}"
        self._device(base, number, size)
        for key, text in {"device__model": model, "device__serial": serial, **files}.items():
            if text is not None:
                self.put(f"{base}/{key.replace('__', '/')}", f"{text}\n")
        self.put(f"{base}/queue/logical_block_size", "512\n")
        for place, part in enumerate(partitions, start=1):
            self._device(f"{base}/{name}{place}", part, size // 2)
            self.put(f"{base}/{name}{place}/partition", f"{place}\n")
        return self

    def _device(self, base: str, number: str, size: int) -> None:
        self.put(f"{base}/dev", f"{number}\n")
        self.put(f"{base}/size", f"{size}\n")
        self.put(f"{base}/ro", "0\n")
        for folder in ("holders", "slaves"):
            (self.root / base / folder).mkdir()
        for place in (f"sys/dev/block/{number}", f"sys/class/block/{base.rpartition('/')[2]}"):
            link = self.root / place
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(self.root / base)

    def over(self, upper: str, *lowers: str):
        """The device ``upper`` holds the lower ones."""
        for lower in lowers:
            below = (self.root / "sys/class/block" / lower).resolve()
            above = (self.root / "sys/class/block" / upper).resolve()
            (below / "holders" / upper).symlink_to(above)
            (above / "slaves" / lower).symlink_to(below)
        return self

    def mount(self, number, point, *, source, filesystem="ext4", options="rw,relatime"):
        line = f"{20 + len(self._mounts)} 1 {number} / {point} {options} - {filesystem} {source} rw"
        self._mounts.append(line)
        self.put("proc/self/mountinfo", "\n".join(self._mounts) + "\n")
        return self

    def no_mounts(self):
        self._mounts.clear()
        return self

    def swap(self, source):
        self.put("proc/swaps", f"Filename Type Size Used Priority\n{source} partition 1 0 -2\n")
        return self
