SELECT rating FROM review WHERE author = :u;
