/*
 * The packages of the platform: of Java, Kotlin and Android. What is outside of them is one's own
 * code, as far as nobody says otherwise. The page begins with the same list for its switch "my code
 * only" (web/src/model/page/settings.ts).
 */
#ifndef TV_ANALYSIS_SELECTION_PLATFORM_H
#define TV_ANALYSIS_SELECTION_PLATFORM_H

/* As struct tv_method_filter_opts takes them. */
#define TV_PLATFORM_PACKAGES                                                                       \
    "java.,javax.,jdk.,sun.,kotlin.,kotlinx.,android.,androidx.,com.android.,dalvik.,libcore."

#endif
