import { GIT_FOLDERS } from './git-folders.script';

/**
 * Leaves of every repository in the workspace what its HEAD reaches and nothing else: prints `head ID FOLDER` for each, or
 * `problem: ...` and ends with 1. Objects are packed anew (deltas are taken over as they are) and everything unknown goes,
 * so nothing depends on a list of the places where git may keep a commit.
 */
export const CUT = `${GIT_FOLDERS}
SETTINGS='core.repositoryformatversion core.filemode core.bare core.symlinks core.ignorecase core.autocrlf core.eol
core.safecrlf core.worktree core.sparsecheckout core.sparsecheckoutcone core.quotepath core.precomposeunicode
extensions.objectformat user.name user.email log.showroot'

# Settings that say where history is to be had, or run something, are not taken over.
scrub_config() {
  : >"$tmp/config"
  for key in $SETTINGS; do
    value=$(git config --file "$common/config" --get "$key" 2>/dev/null) || continue
    git config --file "$tmp/config" "$key" "$value" || fail "the configuration of $folder cannot be written"
  done
  rm -rf "$common/config"
  cp "$tmp/config" "$common/config"
}

keep_objects() {
  present "$tmp/all" || fail "the objects of $folder cannot be listed"
  if [ -z "$(beyond "$tmp/all" "$tmp/kept")" ] && [ ! -e "$common/objects/info/alternates" ] && [ ! -L "$common/objects" ]
  then
    rm -rf "$common/objects/info"
    return
  fi
  mkdir "$tmp/objects" "$tmp/objects/pack"
  if [ -s "$tmp/kept" ]; then
    in_repo pack-objects -q --window=0 --delta-base-offset "$tmp/objects/pack/pack" <"$tmp/kept.named" >/dev/null ||
      fail "the objects of $folder cannot be packed"
  fi
  rm -rf "$common/objects"
  mv "$tmp/objects" "$common/objects"
}

# A replacement for something that is reached itself shows nothing new: images give a base commit its id so.
keep_refs() {
  in_repo for-each-ref --format='%(objectname) %(refname)' refs/replace >"$tmp/replaced"
  rm -rf "$common/refs" "$common/packed-refs" "$common/reftable"
  mkdir -p "$common/refs/heads" "$common/refs/tags"
  while read -r id name; do
    if grep -qx "$id" "$tmp/kept"; then write_ref "$name" "$id"; fi
  done <"$tmp/replaced"
  case $branch in
    refs/heads/*) git check-ref-format "$branch" || branch= ;;
    *) branch= ;;
  esac
  if [ -n "$branch" ] && [ -n "$head" ]; then write_ref "$branch" "$head"; fi
  if [ -n "$branch" ]; then printf 'ref: %s\\n' "$branch"; else printf '%s\\n' "$head"; fi >"$tmp/HEAD"
  rm -rf "$folder/HEAD"
  cp "$tmp/HEAD" "$folder/HEAD"
}

write_ref() {
  mkdir -p "$common/$(dirname "$1")"
  printf '%s\\n' "$2" >"$common/$1"
}

keep_shallow() {
  if [ -f "$common/shallow" ]; then
    sort -u "$common/shallow" >"$tmp/shallow"
    sort "$tmp/shallow" "$tmp/kept" | uniq -d >"$tmp/cut-off"
    rm -f "$common/shallow"
    if [ -s "$tmp/cut-off" ]; then cp "$tmp/cut-off" "$common/shallow"; fi
  fi
}

# An index that names what is not there any more would be broken; one that was read anew costs a refresh.
keep_index() {
  if [ ! -f "$folder/index" ]; then return; fi
  if in_repo ls-files -s >"$tmp/staged" 2>/dev/null; then
    grep -v '^160000 ' "$tmp/staged" | cut -d' ' -f2 | sort -u >"$tmp/blobs"
    if [ -z "$(beyond "$tmp/blobs" "$tmp/kept")" ]; then return; fi
  fi
  rm -f "$folder"/index "$folder"/sharedindex.*
  if [ -n "$head" ]; then in_repo read-tree "$head" || fail "the index of $folder cannot be made"; fi
}

forget() {
  rm -rf "$1"
}

forget_the_rest() {
  each_stranger "$folder" forget
  for name in "$common"/info/* "$folder"/info/*; do
    case \${name##*/} in exclude | attributes | sparse-checkout) ;; *) rm -rf "$name" ;; esac
  done
  if [ "$folder" = "$common" ]; then
    rm -rf "$common/worktrees"
  else
    rm -rf "$common"/index "$common"/sharedindex.*
    each_stranger "$common" forget
    printf '%s\\n' "$head" >"$common/HEAD"
    for name in "$common"/worktrees/*; do
      if [ "$name" != "$folder" ]; then rm -rf "$name"; fi
    done
  fi
}

cut_folder() {
  common=$(common_of "$folder") || fail "$common"
  tmp=$common/assay-cut
  rm -rf "$tmp"
  mkdir "$tmp" || fail "$common cannot be written"
  scrub_config
  rm -f "$common/info/grafts"
  head=$(head_of) || fail "HEAD of $folder names no commit"
  branch=$(in_repo symbolic-ref -q HEAD) || branch=
  reachable "$head" "$tmp/kept" || fail "the history of $folder cannot be walked"
  keep_shallow
  keep_objects
  keep_refs
  keep_index
  forget_the_rest
  printf 'head %s %s\\n' "\${head:-none}" "$folder"
}

folders=$(git_folders) || fail "$folders"
IFS='
'
for folder in $folders; do
  (IFS=' 	
'; cut_folder) || exit 1
done
`;

/** For an image without git: nobody in it can use a repository, and its objects can be read without git. */
export const REMOVE = `${GIT_FOLDERS}
folders=$(git_folders) || fail "$folders"
printf '%s\\n' "$folders" | while IFS= read -r folder; do
  common=$(common_of "$folder") && rm -rf "$folder" "$common"
done
find "$work" -name .git -prune -exec rm -rf {} +
if [ -n "$(find "$work" -name .git -prune -print | head -n 1)" ]; then fail "a repository cannot be removed"; fi
`;
