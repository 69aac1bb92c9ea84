"""Every request and field that the Python SDK can send is in the emulator's table."""

from known import compare

compare("vercel")
