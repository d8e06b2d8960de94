import { GIT_FOLDERS } from './git-folders.script';

/**
 * Looks at every object, ref and file of every repository in the workspace: prints `head ID FOLDER` for each, `problem:
 * ...` for whatever is not reached from that HEAD, and at last `checked`.
 */
export const CHECK = `${GIT_FOLDERS}
still() {
  printf 'problem: there is still %s\\n' "$1"
}

check_folder() {
  common=$(common_of "$folder") || fail "$common"
  head=$(head_of) || fail "HEAD of $folder names no commit"
  tmp=$common/assay-check
  mkdir "$tmp" || fail "$common cannot be written"
  present "$tmp/all" || fail "the objects of $folder cannot be listed"
  reachable "$head" "$tmp/reached" || fail "the history of $folder cannot be walked"
  beyond "$tmp/all" "$tmp/reached" >"$tmp/extra"
  in_repo for-each-ref --format='%(objectname) %(refname)' >"$tmp/refs"
  while read -r id name; do
    if [ "$id" = "$head" ]; then continue; fi
    case $name in refs/replace/*) if grep -qx "$id" "$tmp/reached"; then continue; fi ;; esac
    printf 'problem: %s still has %s\\n' "$folder" "$name"
  done <"$tmp/refs"
  if [ -s "$tmp/extra" ]; then
    printf 'problem: %s still has %s objects beyond its HEAD, %s first\\n' \\
      "$folder" "$(grep -c . "$tmp/extra")" "$(head -n 1 "$tmp/extra")"
  fi
  rm -rf "$tmp"
  each_stranger "$folder" still
  each_stranger "$common" still
  for name in "$common/objects/info/alternates" "$common/info/grafts" "$common/packed-refs"; do
    if [ -e "$name" ]; then still "$name"; fi
  done
  git config --file "$common/config" --name-only --get-regexp '^(remote|branch|url|include|includeif|submodule)[.]' |
    sed "s/^/problem: the configuration still has /"
  printf 'head %s %s\\n' "\${head:-none}" "$folder"
}

folders=$(git_folders) || fail "$folders"
IFS='
'
for folder in $folders; do
  (IFS=' 	
'; check_folder) || exit 1
done
printf 'checked\\n'
`;
