"""Outputs that a user names: files are replaced, links followed, pipes and devices written to."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from biomlbench.errors import explain
from biomlbench.whole_files import named_output, whole_file


def _write(path, text="new"):
    with named_output(path) as temporary:
        temporary.write_text(text)


def test_file_is_replaced_only_when_it_is_complete(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(TypeError), named_output(path) as temporary, temporary.open("w") as file:
        file.writelines(["half", 1])
    assert path.read_text() == "old"
    _write(path)
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_of_a_file_is_made(tmp_path):
    _write(tmp_path / "a" / "b" / "page.html")
    assert (tmp_path / "a" / "b" / "page.html").read_text() == "new"


@pytest.mark.parametrize("there", [True, False])
def test_link_stays_and_what_it_leads_to_is_replaced(tmp_path, there):
    target, second, link = tmp_path / "far" / "target", tmp_path / "second", tmp_path / "link"
    target.parent.mkdir()
    if there:
        target.write_text("old")
    second.symlink_to("far/target")
    link.symlink_to("second")
    _write(link)
    assert (link.is_symlink(), second.is_symlink()) == (True, True)
    assert target.read_text() == "new"
    assert not target.is_symlink()


def test_pipe_is_written_to_also_through_a_link(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        got = []
        reader = threading.Thread(target=lambda to=got: to.append(pipe.read_bytes()))
        reader.start()
        _write(path, "x" * 100_000)
        reader.join(60)
        assert got == [b"x" * 100_000]
        assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink()


@pytest.mark.root
def test_device_is_written_to(tmp_path):
    null, full = tmp_path / "null", tmp_path / "full"
    os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    try:
        null.open("wb").close()
    except PermissionError:
        pytest.skip("devices cannot be used on this file system")
    _write(null)
    with pytest.raises(OSError, match="No space left") as caught:
        _write(full)
    assert "full: No space left on device; the disk is full" in explain(caught.value)
    assert all(stat.S_ISCHR(path.stat().st_mode) for path in (null, full))


def test_standard_output_gets_it_in_its_turn(tmp_path):
    code = (
        "from biomlbench.whole_files import named_output\n"
        "print('before')\n"
        "with named_output('/proc/self/fd/1') as place:\n"
        "    place.write_text('output\\n')\n"
        "print('after')\n"
    )
    path = tmp_path / "out"
    with path.open("wb") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert path.read_text() == "before\noutput\nafter\n"
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"before\noutput\nafter\n"


def test_folders_and_circles_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "to_folder").symlink_to("folder")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("folder", "to_folder"):
        with pytest.raises(IsADirectoryError) as caught:
            _write(tmp_path / name)
        assert "it is a folder; name a file" in explain(caught.value)
    with pytest.raises(OSError, match="circle") as caught:
        _write(tmp_path / "circle")
    assert caught.value.errno == errno.ELOOP


@pytest.mark.parametrize("writer", [named_output, whole_file])
def test_full_disk_names_the_file(tmp_path, writer):
    path = tmp_path / "page.html"
    with pytest.raises(OSError, match="No space left") as caught, writer(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert explain(caught.value).startswith(f"{path}: No space left on device; the disk is full")
    with pytest.raises(ConnectionResetError) as other, writer(path):
        raise ConnectionResetError(errno.ECONNRESET, "reset")
    assert other.value.filename is None
    assert not list(tmp_path.iterdir())
