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

  static final int TCP_INQ = 36; // Linux only, since 4.18

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
