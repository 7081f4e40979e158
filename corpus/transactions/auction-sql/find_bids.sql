UPDATE buyer SET calls = calls + 1 WHERE id = :b;
SELECT bid FROM bids WHERE bid >= :t;
