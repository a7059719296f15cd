#!/bin/sh
# Debian packages that the slow tests drive: a Slurm of two nodes, a headless browser, a peer
# for the structure metrics. Installed as root where apt is; elsewhere the tests that need them skip
# and say so.
set -eu

missing=""
need() { # command, package
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need slurmctld slurm-wlm
need munged munge
need chromium chromium
need chromedriver chromium-driver
need TMscore tm-align
need bwrap bubblewrap

if [ -z "$missing" ]; then
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "Not installed, so their tests are skipped:$missing"
    exit 0
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
