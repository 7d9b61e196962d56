use Test::More;
ok(1, "adds");
subtest "inner" => sub { ok(1, "one"); ok(1, "two"); };
ok(1, "later # of all");
done_testing;
