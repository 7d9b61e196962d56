#!/bin/sh
# Ends here, in silence, where `ends` in entry.py would: the same questions, without an interpreter. In doubt that is asked.
ug_call() {
  export UNTILGREEN_CALLED="$0" # which registration calls: each has its own file
  CALL
}

ug_idle() { # as far as the payload need not be read
  [ $# = 2 ] || [ "$# $3" = "4 --with" ] || return
  [ "$1" = --host ] || return
  [ -z "$UNTILGREEN_DISABLE$UNTILGREEN_STATE_DIR$UNTILGREEN_LOOP$UNTILGREEN_KEEP_PAYLOADS" ] || return
  case $2 in
  HOSTS
  *) return 1 ;;
  esac
  case $ug_session in *[!0-9a-f-]*) return 1 ;; esac
  [ ${#ug_session} -ge 8 ] && [ ${#ug_session} -le 64 ] || return
  ug_state=${XDG_STATE_HOME:-$HOME/.local/state}/untilgreen ug_base=$ug_project/.untilgreen ug_mark=
  case $0 in "$ug_state/hooks/"*) ;; *) return 1 ;; esac # else another user's, or state that lies elsewhere today
  [ -e "$ug_project/.git/HEAD" ] && [ ! -L "$ug_project" ] || return
  [ NAME = post-tool-bash ] || ug_none "$ug_state/sealed/$ug_session.json" || return
  ug_none "$ug_base" && return
  case NAME in post-tool-[!b]*) return 1 ;; esac
  ug_mark=$ug_base/called/NAME
  [ "$2" = claude-code ] || ug_mark=$ug_mark@$2
  for ug_one in "$ug_base" "$ug_base/called" "$ug_base/sessions" "$ug_base/next" "$ug_mark"; do
    [ ! -L "$ug_one" ] || return
  done
  [ -f "$ug_mark" ] && [ -w "$ug_mark" ] && [ -x "$ug_base/sessions" ] && ug_none "$ug_base/moved" || return
  ug_own=$ug_base/sessions/$ug_session
  ug_none "$ug_own" || { [ -x "$ug_own" ] && ug_none "$ug_own/loop_state.json"; } || return
  while IFS= read -r ug_one; do
    [ "$ug_one" != "$ug_project" ] || return 0
  done <"$ug_state/trusted" # else the folder may have come with the repository
  return 1
}

ug_none() {
  [ ! -e "$1" ] && [ ! -L "$1" ]
}

ug_nothing() { # of this payload
  case $1 in *"$ug_session"*) ;; *) return 1 ;; esac
  [ NAME = session-loop ] || return 0
  case $1 in
  *untilgreen:* | *'"prompt":"/'*) return 1 ;;
  *'"hook_event_name":"UserPromptSubmit"'* | *'"hook_event_name":"BeforeAgent"'*)
    for ug_one in "$ug_base/next/"*; do
      ug_none "$ug_one" || return
    done
    ;;
  *'"SessionStart"'*) return 1 ;;
  *) [ -z "$ug_mark" ] ;;
  esac
}

if ug_idle "$@" 2>/dev/null; then
  ug_payload=$(LC_ALL=C cat) # else it reads a dozen files of the locale
  ug_nothing "$ug_payload" || ug_call "$@" <<END
$ug_payload
END
  [ -z "$ug_mark" ] || MARK 1<>"$ug_mark" # to empty it first costs more; what is left behind a line is not read
  exit 0
fi
ug_call "$@"
