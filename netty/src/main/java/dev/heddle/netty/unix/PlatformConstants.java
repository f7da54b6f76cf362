// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.unix;

/// Constants of this system's headers for calls that Netty does not offer.
final class PlatformConstants {
  static final boolean LINUX = System.getProperty("os.name").startsWith("Linux");

  // levels
  static final int IPPROTO_IP = 0;
  static final int IPPROTO_TCP = 6;
  static final int IPPROTO_IPV6 = 41;
  static final int SOL_SOCKET = LINUX ? 1 : 0xffff;

  // TCP
  static final int TCP_KEEPIDLE = LINUX ? 4 : 0x10; // TCP_KEEPALIVE of the BSDs
  static final int TCP_KEEPINTVL = LINUX ? 5 : 0x101;
  static final int TCP_KEEPCNT = LINUX ? 6 : 0x102;
  static final int TCP_QUICKACK = 12; // Linux only
  static final int TCP_INQ = 36; // Linux only, since 4.18
  static final int SO_TYPE = 3; // this and the next two: Linux's values
  static final int SO_ACCEPTCONN = 30;
  static final int SO_DOMAIN = 39;
  static final int SO_PEERCRED = 17; // Linux only
  static final int UCRED_BYTES = 12; // struct ucred: process, user, group
  static final int SO_INCOMING_NAPI_ID = 56; // Linux only

  // multicast
  static final int IP_MULTICAST_IF = LINUX ? 32 : 9;
  static final int IP_MULTICAST_TTL = LINUX ? 33 : 10;
  static final int IP_MULTICAST_LOOP = LINUX ? 34 : 11;
  static final int IP_ADD_MEMBERSHIP = LINUX ? 35 : 12;
  static final int IP_DROP_MEMBERSHIP = LINUX ? 36 : 13;
  static final int IPV6_MULTICAST_IF = LINUX ? 17 : 9;
  static final int IPV6_MULTICAST_HOPS = LINUX ? 18 : 10;
  static final int IPV6_MULTICAST_LOOP = LINUX ? 19 : 11;
  static final int IPV6_JOIN_GROUP = LINUX ? 20 : 12;
  static final int IPV6_LEAVE_GROUP = LINUX ? 21 : 13;

  // fragmentation, Linux only
  static final int IP_MTU_DISCOVER = 10;
  static final int IPV6_MTU_DISCOVER = 23;
  static final int PMTUDISC_DONT = 0;
  static final int PMTUDISC_DO = 2;

  // a system call number, Linux only; negative on unknown architectures
  static final int SYS_RECVFROM =
      switch (LINUX ? System.getProperty("os.arch") : "") {
        case "amd64" -> 45;
        case "aarch64", "riscv64" -> 207;
        default -> -1;
      };
  static final int SYS_RECVMSG = SYS_RECVFROM < 0 ? -1 : SYS_RECVFROM == 45 ? 47 : 212;

  private PlatformConstants() {}
}
