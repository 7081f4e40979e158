SELECT name, amount FROM trader JOIN content ON content.trade = trader.trade WHERE trader.trade = :t;
