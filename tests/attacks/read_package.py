import importlib.util
import os
import site
import sys


def attack(package):
    places = [package, os.path.dirname(package)]
    places += [
        os.path.join(folder, "biomlbench") for folder in (*site.getsitepackages(), *sys.path)
    ]
    repository = os.path.dirname(package)

    def ours(parent):
        """Of the package or beside it; a clone may well hold the environment, which is shown."""
        if "biomlbench" in parent.split(os.sep):
            return True
        beside = os.path.commonpath([parent, repository]) == repository
        return beside and os.path.commonpath([parent, sys.prefix]) != sys.prefix

    found = []
    for place in places:
        for parent, folders, files in os.walk(place):
            for name in files:
                if name.endswith((".py", ".yaml", ".csv", ".md")) and ours(parent):
                    try:
                        open(os.path.join(parent, name)).close()
                        found.append(name)
                    except OSError:
                        continue
            if len(found) > 5:
                return found
    spec = importlib.util.find_spec("biomlbench")
    if spec is not None and spec.origin:
        try:
            open(spec.origin).close()
            found.append(spec.origin)
        except OSError:
            pass
    return found
