/* The commands that come with perl are scripts. The program is one file with many names, and runs the script of the
 * name that it was started by. perl's own `main` is called `perl_main` here. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPTS "/usr/share/perl/5.36/bin/"

extern char **environ;

/* Whether this process runs a script by the script's name: then `$^X` is not what /proc/self/exe says (edits.py). */
int sandshell_by_name;

int perl_main(int argc, char **argv, char **env);

int
main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = argc == 0 ? "perl" : slash ? slash + 1 : argv[0];
    if (strncmp(name, "perl", 4) == 0 || *name == '\0')
        return perl_main(argc, argv, environ);
    char *script = malloc(sizeof SCRIPTS + strlen(name));
    char **words = malloc((argc + 2) * sizeof *words);
    if (script == NULL || words == NULL) {
        fprintf(stderr, "%s: out of memory\n", name);
        return 126;
    }
    sandshell_by_name = 1;
    strcat(strcpy(script, SCRIPTS), name);
    words[0] = "/usr/bin/perl";
    words[1] = script;
    /* With the last one, which is null. */
    memcpy(words + 2, argv + 1, argc * sizeof *words);
    return perl_main(argc + 1, words, environ);
}
