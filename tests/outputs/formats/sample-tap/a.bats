@test "adds" { [ $((1+2)) -eq 3 ]; }
@test "subtracts" {
  run echo hello
  [ "$output" = bye ]
}
@test "later" { skip "no time"; }
