from lockstep import main

main()
