/* Rust's programs take random numbers from this library, which Wine has only since version 9. */
#include <windows.h>

/* `RtlGenRandom` of advapi32. */
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
    while (length > 0) {
        ULONG piece = length < 65536 ? (ULONG)length : 65536;
        if (!SystemFunction036(bytes, piece)) return FALSE;
        bytes += piece;
        length -= piece;
    }
    return TRUE;
}
