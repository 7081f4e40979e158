SELECT title INTO :t FROM event WHERE venue = :v AND id = :e;
UPDATE seats SET free = free - 1 WHERE venue = :v AND event = :e;
