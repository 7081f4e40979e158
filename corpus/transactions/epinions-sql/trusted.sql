SELECT amount FROM trust WHERE truster = :u;
