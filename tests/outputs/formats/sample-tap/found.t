use Test::More tests => 4;
ok(1, "adds");
is(1 - 2, 3, "subtracts");
subtest "inner" => sub { plan tests => 2; ok(1, "one"); ok(0, "two"); };
TODO: { local $TODO = "not yet"; ok(0, "some day"); }
