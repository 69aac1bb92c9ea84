# What C++ throws, and what longjmp of C throws. Each module has its own: nothing is thrown from one into another.
	.tagtype __cpp_exception i32
	.globl	__cpp_exception
	.hidden	__cpp_exception
__cpp_exception:
	.tagtype __c_longjmp i32
	.globl	__c_longjmp
	.hidden	__c_longjmp
__c_longjmp:
