"""PEP 249 over the driver: the same as `inrush.dbapi`."""

from inrush.dbapi import *  # noqa: F403
from inrush.dbapi import __all__ as __all__
