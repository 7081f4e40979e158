SELECT d_next_o_id INTO :o FROM district WHERE d_w_id = :w AND d_id = :d;
SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_i_id = ol_i_id
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id < :o AND ol_o_id >= :o - 20 AND s_w_id = :w AND s_quantity < :threshold;
