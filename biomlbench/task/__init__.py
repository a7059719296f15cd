"""A task as data: its folder and config, the registry, users' code, preparation."""
