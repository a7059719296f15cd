"""Starting points that work as they are; `biomlbench new` copies one under a name.

Each is a folder; its ``template.toml`` says what comes ``next``, which ``page`` goes on from there,
and under ``files`` where its files go in a clone. Templates without ``files`` are folders of tasks.
"""
