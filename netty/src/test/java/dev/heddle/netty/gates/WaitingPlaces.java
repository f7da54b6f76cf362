// SPDX-License-Identifier: Apache-2.0
package dev.heddle.netty.gates;

import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/// The places in compiled classes at which a thread may wait.
///
/// A lambda's body counts as a place of the method that it stands in, a method reference as a call.
/// What the called methods do is not followed: the JDK's that wait are named in [WaitingCall], and
/// ours have places of their own.
final class WaitingPlaces {
  private final Set<Place> found = new TreeSet<>();

  private WaitingPlaces() {}

  /// A place.
  ///
  /// @param room the package
  /// @param method `Class#method`, without the package and the parameters
  /// @param what it does there
  record Place(String room, String method, String what) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return room + ' ' + line();
    }

    /// As it stands in the table, below its room.
    String line() {
      return method + " | " + what;
    }
  }

  /// The places in classes.
  static Set<Place> of(List<ClassModel> types) {
    var places = new WaitingPlaces();
    types.forEach(type -> type.methods().forEach(method -> places.scan(type, method)));
    return places.found;
  }

  /// The places in one method.
  static Set<Place> of(ClassModel type, MethodModel method) {
    var places = new WaitingPlaces();
    places.scan(type, method);
    return places.found;
  }

  private void scan(ClassModel type, MethodModel method) {
    Consumer<String> found = what -> add(type, method, what);
    if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
      found.accept("synchronized");
    }
    method.code().ifPresent(code -> code.forEach(element -> scan(element, found)));
  }

  private void add(ClassModel type, MethodModel method, String what) {
    String name = type.thisClass().asInternalName();
    int end = name.lastIndexOf('/');
    String room = end < 0 ? "" : name.substring(0, end).replace('/', '.');
    found.add(new Place(room, name.substring(end + 1) + '#' + writtenIn(method), what));
  }

  /// The method that a lambda stands in, for the compiler numbers lambdas anew with each change.
  private static String writtenIn(MethodModel method) {
    String name = method.methodName().stringValue();
    return name.replaceAll("^lambda\\$(.*)\\$\\d+$", "$1")
        .replaceAll("^new$", "<init>")
        .replaceAll("^static$", "<clinit>");
  }

  private static void scan(CodeElement element, Consumer<String> found) {
    switch (element) {
      case MonitorInstruction monitor when monitor.opcode() == Opcode.MONITORENTER ->
          found.accept("synchronized");
      case InvokeInstruction call ->
          WaitingCall.find(
                  call.owner().asInternalName(),
                  call.name().stringValue(),
                  call.type().stringValue())
              .ifPresent(found);
      case InvokeDynamicInstruction lambda -> references(lambda).forEach(found);
      default -> {}
    }
  }

  private static Set<String> references(InvokeDynamicInstruction lambda) {
    Set<String> all = new HashSet<>();
    lambda
        .bootstrapArgs()
        .forEach(argument -> {
          if (argument instanceof DirectMethodHandleDesc method) {
            String owner = method.owner().descriptorString();
            WaitingCall.find(
                    owner.substring(1, owner.length() - 1),
                    method.methodName(),
                    method.lookupDescriptor())
                .ifPresent(all::add);
          }
        });
    return all;
  }
}
