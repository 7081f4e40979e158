SELECT trusted FROM trust WHERE truster = :u;
SELECT avg(rating) FROM review WHERE item = :i;
