SELECT rating FROM review WHERE item = :i;
