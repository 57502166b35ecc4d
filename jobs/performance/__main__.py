"""python3 jobs/performance NAME: measures one table; jobs/performance.sh starts it."""
import importlib
import sys

importlib.import_module(sys.argv[1]).measure()
