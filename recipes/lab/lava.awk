# lava.awk: turns TAP of `warpcheck report --format tap` into calls of lava-test-case, one for each case. LAVA's names have no spaces.
/^(not )?ok [0-9]+ - / {
    id = $0
    sub(/^(not )?ok [0-9]+ - /, "", id)
    sub(/[: ].*/, "", id)
    gsub(/[^A-Za-z0-9._-]/, "_", id)
    result = /^ok/ ? "pass" : "fail"
    if (/ # SKIP/) result = "skip"
    print "lava-test-case " id " --result " result
}
/^Bail out!/ { print "lava-test-case complete --result fail" }
