"""The app: pages in a browser on this machine, which run the commands and show what they found."""
