	.text
	.globl	assemblyAdd
	.type	assemblyAdd, @function
assemblyAdd:
	leaq	(%rdi,%rsi), %rax
	ret
	.size	assemblyAdd, .-assemblyAdd

# long assemblyCall(int (*f)(int), long v): f(v) + 1
	.globl	assemblyCall
	.type	assemblyCall, @function
assemblyCall:
	subq	$8, %rsp
	movq	%rdi, %rax
	movq	%rsi, %rdi
	call	*%rax
	cltq
	incq	%rax
	addq	$8, %rsp
	ret
	.size	assemblyCall, .-assemblyCall
	.section	.note.GNU-stack,"",@progbits
