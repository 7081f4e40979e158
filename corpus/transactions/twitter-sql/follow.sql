SELECT registered INTO :ra FROM users WHERE id = :a;
SELECT registered INTO :rb FROM users WHERE id = :b;
IF :ra AND :rb THEN
    INSERT INTO follows (follower, followed, since) VALUES (:a, :b, :t) ON CONFLICT (follower, followed) DO UPDATE SET since = follows.since;
END IF;
