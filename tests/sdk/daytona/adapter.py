"""LangChain's adapter of Daytona."""

from adapters import ABSOLUTE, Suite, main
from daytona import Daytona
from langchain_daytona import DaytonaSandbox


class TestAdapter(Suite):
    def make(self):
        client = Daytona()
        sandbox = client.create()
        yield DaytonaSandbox(sandbox=sandbox)
        client.delete(sandbox)


EXCEPTIONS = ABSOLUTE

if __name__ == "__main__":
    main(__file__)
