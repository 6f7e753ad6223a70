./dgen.pl --directory "/epic" --jobs 2 --quiet --pctfull 20
