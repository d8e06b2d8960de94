/**
 * A shell script that enters the folder `$1` and becomes the command that follows, with both streams on one pipe: only so
 * is their order kept, because two pipes are read one after the other. Exit 126 when the folder cannot be entered.
 */
export const ENTER_AND_RUN = 'cd "$1" 2>&1 || exit 126; shift; exec "$@" 2>&1';
