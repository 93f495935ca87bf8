# judge.sh: what scripts that try the command have in common. To be sourced.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the counts are printed by those who source this
passed=0
failed=0

# judge STATUS NAME DETAIL: counts the outcome. The status is handed over, since `$?` in here would be
# that of a command that makes the detail.
judge() {
  if [ "$1" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n%s\n' "$2" "$3"
  fi
}

# expect CODES TEXT COMMAND...: the command ends with one of CODES (as in 0|1) and its output has TEXT
# in it.
expect() {
  local want_codes=$1 want_text=$2 output code
  shift 2
  output=$(timeout -k 5 150 "$@" 2>&1)
  code=$?
  [[ "|$want_codes|" == *"|$code|"* ]] && [[ $output == *"$want_text"* ]]
  judge $? "wanted code $want_codes and \"$want_text\", got code $code from: $*" "$output"
}
