module tapedeck.example/tapedeck

go 1.19
