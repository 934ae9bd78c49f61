# shellcheck shell=bash
# Failed tests: which they are, whether they pass by themselves, and what the end of a run says about them.
#
# A test that fails beside others is run again by itself, twice at most. If it passes then, it lost a race: the run is green, and the test is
# written down in $FLAKY/list, with what it said at first in $FLAKY/N. A test that fails alone as well is red, and so is a suite that ends
# without the names of failed tests (a crash, an error of the compiler).
#
# Reads what `cargo test` prints; scripts/python does the same with what pytest prints.

FLAKY=${INRUSH_FLAKY:-$PWD/target/flaky}
# So many failed tests in one run did not lose a race.
MOST_RERUNS=12

# Empties the list: at the start of a whole run.
forget_flaky() {
  rm -rf "$FLAKY"
  mkdir -p "$FLAKY"
  : >"$FLAKY/list"
}

# Judges the runs whose output is in the files. Succeeds if no test failed twice.
#
# The command that runs tests (`cargo test --workspace ..`) stands in CARGO_TEST, without the choice of a target.
settle() { # logs..
  local log target name
  local -a failed=() red=()
  for log in "$@"; do
    while IFS= read -r line; do failed+=("$log"$'\t'"$line"); done < <(failed_tests "$log")
    if [[ $(cat "$log.status" 2>/dev/null || echo 1) != 0 ]] && ! failed_tests "$log" | grep -q .; then
      # The compiler's words, or those of the signal, are at its end.
      red+=("$log"$'\t\t'"ended without the names of failed tests: $(tail -n 12 "$log" | cut -c 1-160)")
    fi
  done
  if ((${#failed[@]} > MOST_RERUNS)); then
    red+=("${failed[@]}")
  else
    for line in "${failed[@]}"; do
      IFS=$'\t' read -r log target name <<<"$line"
      # What ended without a name has nothing to run by itself.
      if [[ -z $name ]] || ! passes_alone "$target" "$name"; then red+=("$line"); else write_down_flaky "$log" "$name"; fi
    done
  fi
  report_red "${red[@]}"
}

# A line for each failed test: what `cargo test` calls its target (`--test real`), a tab, its name. A target that failed without naming a test
# has no name.
failed_tests() { # log
  awk '
    # The list of names comes last; what failed tests printed stands under the same heading before it.
    /^failures:$/ { n = 0; listing = 1; next }
    listing && /^    [^ ]/ { names[++n] = substr($0, 5); next }
    /^test result: / { listing = 0 }
    /^error: (test|doctest) failed, to rerun pass `/ {
      target = $0
      sub(/^[^`]*`/, "", target); sub(/`.*/, "", target)
      # By package alone other features would be chosen, and all be compiled again.
      sub(/^-p [^ ]+ ?/, "", target)
      if (n == 0) print target "\t"
      for (i = 1; i <= n; i++) print target "\t" names[i]
      n = 0
    }' "$1"
}

passes_alone() { # target, name
  local try output
  for try in 1 2; do
    # shellcheck disable=SC2086 # a target is two words
    if output=$("${CARGO_TEST[@]}" $1 -- --exact "$2" --test-threads=1 2>&1) && grep -q '^test result: ok. 1 passed' <<<"$output"; then return 0; fi
    printf '%s\n' "$output" >>"$FLAKY/.again.$(tr -c 'A-Za-z0-9_\n' _ <<<"$2")"
  done
  : "$try"
  return 1
}

write_down_flaky() { # log, name
  local kept
  kept=$FLAKY/$(($(wc -l <"$FLAKY/list") + 1)).txt
  said_by "$1" "$2" >"$kept"
  printf 'FLAKY: %s, first failure: %s (all of it: %s)\n' "$2" "$(reason <"$kept")" "${kept#"$PWD/"}" >>"$FLAKY/list"
}

# What a failed test printed.
said_by() { # log, name
  awk -v heading="---- $2 stdout ----" '
    $0 == heading { inside = 1; next }
    inside && (/^---- .* stdout ----$/ || /^test result: /) { exit }
    inside' "$1"
}

# The first assertion in what a test printed, in one line: the place, then the words.
reason() {
  awk '
    /panicked at / { sub(/^.*panicked at /, ""); printf "%s", $0; found = 1; next }
    found && /^(stack backtrace|failures):$/ { exit }
    found && n < 6 && NF { sub(/^ +/, ""); printf " %s", $0; n++ }
    !found && NF && !first { first = $0 }
    END { if (!found) printf "%s", first ? first : "(it printed nothing)"; print "" }' | cut -c 1-400
}

# The last lines of a red run: names, assertions, places; below 60 lines, whatever failed.
report_red() { # lines of failed tests..
  local line log target name
  (($#)) || return 0
  printf '\n== %d failed\n' "$#"
  for line in "${@:1:24}"; do
    IFS=$'\t' read -r log target name <<<"$line"
    if [[ -n $name && -n $target ]]; then
      printf '%s (%s)\n  %s\n' "$name" "$target" "$(said_by "$log" "$name" | reason)"
    else
      printf '%s %s %s\n' "$(basename "$log")" "$target" "${name:-ended without the names of failed tests}"
    fi
  done
  (($# <= 24)) || printf 'and %d more\n' $(($# - 24))
  return 1
}

# What a whole run says of tests that lost a race. Always succeeds.
report_flaky() {
  [[ -s $FLAKY/list ]] || return 0
  printf '\n== %d lost a race and passed by themselves\n' "$(wc -l <"$FLAKY/list")"
  cat "$FLAKY/list"
}
