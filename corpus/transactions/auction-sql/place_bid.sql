UPDATE buyer SET calls = calls + 1 WHERE id = :b;
SELECT bid INTO :c FROM bids WHERE buyer = :b;
IF :c < :v THEN
    UPDATE bids SET bid = :v WHERE buyer = :b;
END IF;
INSERT INTO log (id, buyer, bid) VALUES (:l, :b, :v);
