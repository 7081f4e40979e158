SELECT id, title FROM event WHERE venue = :v;
