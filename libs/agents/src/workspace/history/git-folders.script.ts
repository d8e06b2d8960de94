/**
 * What the scripts begin with. `$1` is the workspace, `$2` the root of the sandbox: nothing outside of that is touched. Git
 * runs with no configuration but the repository's own, without hooks and replacements; with its folder given it asks
 * neither whose that is nor where it lies.
 */
export const GIT_FOLDERS = `
set -u
export LC_ALL=C HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_NO_REPLACE_OBJECTS=1 GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0
work=$1
root=$2
cd "$root" || exit 1

fail() {
  printf 'problem: %s\\n' "$*"
  exit 1
}

in_repo() {
  git --git-dir="$folder" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.commitGraph=false -c gc.auto=0 "$@"
}

# The folder that a .git is or names, with its links resolved.
resolve() {
  to=$1
  if [ -f "$to" ]; then
    named=$(sed -n 's/^gitdir: //p' "$to" | head -n 1)
    case $named in
      '') fail "$to names no folder" ;;
      /*) to=$named ;;
      *) to=$(dirname "$to")/$named ;;
    esac
  fi
  to=$(cd -P "$to" 2>/dev/null && pwd -P) || fail "$1 leads nowhere"
  case $to/ in
    "\${root%/}"/*) printf '%s\\n' "$to" ;;
    *) fail "$1 leads out of the sandbox" ;;
  esac
}

# Where the objects of a git folder lie: elsewhere when it is that of a linked work tree.
common_of() {
  if [ -f "$1/commondir" ]; then
    shared=$(head -n 1 "$1/commondir")
    case $shared in
      /*) resolve "$shared" ;;
      *) resolve "$1/$shared" ;;
    esac
  else
    printf '%s\\n' "$1"
  fi
}

# Every git folder of the workspace, one a line: its own, nested ones, and those of submodules.
git_folders() {
  find "$work" -name .git -prune -print | while IFS= read -r found; do
    folder=$(resolve "$found") || { printf '%s\\n' "$folder"; exit 1; }
    common=$(common_of "$folder") || { printf '%s\\n' "$common"; exit 1; }
    printf '%s\\n' "$folder"
    if [ -d "$common/modules" ]; then
      find "$common/modules" -type d -name objects -print | while IFS= read -r objects; do
        if [ -f "$(dirname "$objects")/HEAD" ]; then dirname "$objects"; fi
      done
    fi
  done | sort -u
}

# Id of the commit of HEAD; empty where nothing was committed yet.
head_of() {
  in_repo rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null && return
  branch=$(in_repo symbolic-ref -q HEAD 2>/dev/null) || return 1
  ! in_repo rev-parse -q --verify "$branch" >/dev/null 2>&1
}

# Sorted ids of what a commit reaches, into a file.
reachable() {
  : >"$2.named"
  if [ -n "$1" ]; then in_repo rev-list --objects "$1" >"$2.named" || return 1; fi
  cut -d' ' -f1 "$2.named" | sort -u >"$2"
}

# Sorted ids of every object that is there, into a file.
present() {
  in_repo cat-file --batch-all-objects --batch-check='%(objectname)' >"$1.unsorted" && sort -u "$1.unsorted" >"$1"
}

# Lines of the first file that are not in the second; both sorted and without doubles.
beyond() {
  cat "$1" "$2" "$2" | sort | uniq -u
}

# Names in a git folder that have nothing to do with history, or hold what is left of it.
KEPT=' HEAD config objects refs info index shallow modules description gitdir commondir worktrees '

# Calls $2 with every other entry of the folder $1.
each_stranger() {
  for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    name=\${entry##*/}
    case $name in sharedindex.*) continue ;; esac
    case "$KEPT" in *" $name "*) continue ;; esac
    if [ -e "$entry" ] || [ -L "$entry" ]; then "$2" "$entry"; fi
  done
}
`;
