#!/usr/bin/env bash
# Be a newcomer: clone a repository below the home folder of an ordinary user and run a command
# in the clone. What runs for root in /tmp may fail there, because the sandbox shows and hides
# folders by where they lie and has other means for a user than for root.
#
#   tools/ordinary-user.sh [--home PATH] REPOSITORY COMMAND...
#
# Root makes a user for the purpose and removes it with everything of it. Anybody else is an
# ordinary user, and gets a folder in the own home.
set -euo pipefail

home=""
if [ "$1" = --home ]; then
    home=$2
    shift 2
fi
repository=$(realpath "$1")
shift
clone=biomlbench-workflow

if [ "$(id -u)" != 0 ]; then
    place=$(mktemp -d "$HOME/newcomer XXXXXX")
    trap 'rm -rf "$place"' EXIT
    git clone -q "$repository" "$place/$clone"
    cd "$place/$clone"
    "$@"
    exit
fi

user=newcomer$$
home=${home:-/home/$user}

processes() {
    local folder
    for folder in /proc/[0-9]*; do
        [ "$(stat -c %U "$folder" 2>/dev/null)" != "$user" ] || echo "${folder#/proc/}"
    done
}

remove() {
    local pid
    for pid in $(processes); do kill -KILL "$pid" 2>/dev/null || true; done
    # userdel refuses while a killed process has not been waited for.
    for _ in $(seq 100); do
        userdel "$user" 2>/dev/null && break
        sleep 0.1
    done
    rm -rf "$home"
}

test ! -e "$home" || { echo "$home is there already" >&2; exit 1; }
useradd --no-create-home --home-dir "$home" --shell /bin/bash "$user"
trap remove EXIT
install -d -m 700 -o "$user" -g "$user" "$home"

# Only what a new login has, and how this machine reaches its package index: proxies,
# certificates and pip's settings.
settings=("HOME=$home" "USER=$user" "LOGNAME=$user" "LANG=C.UTF-8" "SHELL=/bin/bash")
while IFS= read -r -d '' setting; do
    case ${setting%%=*} in
        PIP_CACHE_DIR | PIP_CONFIG_FILE | PIP_TARGET | PIP_PREFIX | PIP_USER | PIP_LOG) ;;
        PIP_* | *_proxy | *_PROXY | SSL_CERT_FILE | SSL_CERT_DIR | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE)
            settings+=("$setting") ;;
    esac
done < <(env -0)

run() { # command: as the user
    runuser -u "$user" -- env -i "${settings[@]}" "PATH=$path" "$@"
}

# An interpreter that the user may run: root's own may lie below root's home (pyenv, uv, conda).
# A copy of that would not do, since its libraries are looked for where it was built.
system=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
own=$(python3 -c 'import os, sys; print(os.path.realpath(sys.base_prefix) + "/bin")')
suits='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
path=$own:$system
if ! run "$own/python3" -c "$suits" 2>/dev/null; then
    path=$system
    if ! run python3 -c "$suits" 2>/dev/null; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null
        run python3 -c "$suits"
    fi
fi

# pip's settings that are in a file of root's; those of the environment are handed on above.
python3 -m pip --disable-pip-version-check config list | python3 -c '
import ast, configparser, sys
parser = configparser.RawConfigParser()
for line in sys.stdin:
    name, _, value = line.strip().partition("=")
    section, _, key = name.partition(".")
    if section and key and not name.startswith(":env:"):
        if not parser.has_section(section):
            parser.add_section(section)
        parser.set(section, key, ast.literal_eval(value).replace("\n", "\n  "))
parser.write(sys.stdout)' >"$home/.pip-settings"
install -D -m 600 "$home/.pip-settings" "$home/.config/pip/pip.conf"
rm "$home/.pip-settings"

# Root clones, because the repository may lie where the user cannot read.
git clone -q --no-hardlinks "$repository" "$home/$clone"
chown -R "$user:" "$home"
cd "$home/$clone"
run "$@"
