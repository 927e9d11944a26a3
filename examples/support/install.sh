# What runs a command with packages of other registries sources this.

# install FOLDER FILE COMMAND...: runs the command in the folder, beside a copy of the file that pins what it installs,
# unless that was done with the same file. FOLDER is absolute.
install() {
    local folder=$1 file=$2
    shift 2
    if ! cmp -s "$file" "$folder.done"; then
        echo "installing ${folder##*/}" >&2
        rm -rf "${folder:?}"
        mkdir -p "$folder"
        cp "$file" "$folder"
        (cd "$folder" && timeout -k 10 600 "$@") >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
        cp "$file" "$folder.done"
    fi
}

# npm_install FOLDER PACKAGE.JSON: into node_modules of the folder.
npm_install() {
    install "$1" "$2" npm install --ignore-scripts --no-audit --no-fund --no-package-lock
}

# pip_install FOLDER REQUIREMENTS.TXT: into a virtual environment, which is the folder.
pip_install() {
    install "$1" "$2" sh -ec \
        'python3 -m venv .; bin/pip install --quiet --disable-pip-version-check -r requirements.txt'
}
