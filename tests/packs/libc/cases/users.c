#include "check.h"
#include <grp.h>
#include <pwd.h>

int main(void)
{
    char buffer[200];
    struct passwd user, *found;
    struct group group, *found_group;
    struct passwd *root = getpwnam("root");
    printf("%s %d %d %s %s\n", root->pw_name, (int)root->pw_uid, (int)root->pw_gid, root->pw_dir, root->pw_shell);
    printf("%s\n", getpwuid(0)->pw_name);
    printf("%d %d\n", getpwnam("nobody here") == NULL, getpwuid(54321) == NULL);
    printf("%d\n", getpwuid_r(0, &user, buffer, sizeof buffer, &found));
    printf("%s %s\n", found->pw_name, user.pw_shell);
    errno = getpwuid_r(0, &user, buffer, 5, &found);
    printf("%s %d\n", why(), found == NULL);
    printf("%d %d\n", getpwnam_r("nobody here", &user, buffer, sizeof buffer, &found), found == NULL);
    struct group *adm = getgrgid(0);
    printf("%s %d\n", adm->gr_name, (int)getgrnam("root")->gr_gid);
    printf("%d\n", getgrnam_r("root", &group, buffer, sizeof buffer, &found_group));
    printf("%s %d\n", found_group->gr_name, found_group->gr_mem[0] == NULL);
    printf("%d\n", getgrnam("nobody here") == NULL);
    setpwent();
    int root_seen = 0;
    while ((found = getpwent()) != NULL)
        root_seen += found->pw_uid == 0;
    endpwent();
    printf("%d\n", root_seen);
    printf("%d %d\n", getuid() == geteuid(), getgid() == getegid());
    SHOW(setuid(getuid()));
    SHOW(setgid(getgid()));
    gid_t groups[10];
    int size = 10;
    printf("%d\n", getgrouplist("root", 0, groups, &size) >= 1 && groups[0] == 0);
    return 0;
}
