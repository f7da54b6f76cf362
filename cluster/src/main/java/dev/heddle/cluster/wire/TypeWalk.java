// SPDX-License-Identifier: Apache-2.0
package dev.heddle.cluster.wire;

import dev.heddle.cluster.MessageCodec;
import dev.heddle.cluster.Wire;
import dev.heddle.process.Parcel;
import dev.heddle.process.Reply;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Finds the types that messages consist of, from the classes that are registered, and refuses
/// those that cannot be sent. Owned by the thread that registers.
final class TypeWalk {
  private static final int MAX_PATH =
      1000; // characters; `record Box<T>(Box<Box<T>> it)` has no end
  private static final int MAX_TEXT = 400; // characters of each part of an error
  private static final String ALLOWED =
      "; a message consists of records, enums, sealed interfaces of records, String, byte[], numbers,"
          + " UUID, dates and times, Pid, Parcel, and Optional, List, Set and Map of those; or give"
          + " its class a MessageCodec";

  private static final Set<Class<?>> PARAMETERIZED =
      Set.of(List.class, Set.class, Map.class, Optional.class, Reply.class);

  private static final Map<Class<?>, Function<Shape, Shape>> COLLECTIONS =
      Map.of(
          List.class, CollectionShape.OfList::new,
          Set.class, CollectionShape.OfSet::new,
          Optional.class, CollectionShape.OfOptional::new);

  private final Map<Class<?>, Shape> values = new HashMap<>();
  private final Map<Class<?>, Shape> shapes = new HashMap<>(); // registered ones without arguments
  private final List<NamedShape> named = new ArrayList<>();
  private final List<SealedShape> sealedOnes = new ArrayList<>();
  private final Map<String, Class<?>> owners = new HashMap<>(); // of names
  private final Map<String, RecordShape> generic = new HashMap<>(); // by text

  TypeWalk(DynamicShape dynamic) {
    ValueShape.ALL.forEach(it -> values.put(it.type(), it));
    values.put(Parcel.class, dynamic.parcel());
    primitive(boolean.class, Boolean.class, false);
    primitive(byte.class, Byte.class, (byte) 0);
    primitive(short.class, Short.class, (short) 0);
    primitive(int.class, Integer.class, 0);
    primitive(long.class, Long.class, 0L);
    primitive(char.class, Character.class, (char) 0);
    primitive(float.class, Float.class, 0f);
    primitive(double.class, Double.class, 0d);
    values.forEach((type, shape) -> owners.put(shape.text(), type));
    for (Class<?> type : List.of(Object.class, Void.class, Reply.class, List.class, Set.class)) {
      owners.put(type.getSimpleName(), type);
    }
    owners.put("Map", Map.class);
    owners.put("Optional", Optional.class);
  }

  private <T> void primitive(Class<T> type, Class<?> boxed, T zero) {
    Shape of = Objects.requireNonNull(values.get(boxed), "built in");
    values.put(type, new ValueShape.Primitive(type, of, zero));
  }

  List<NamedShape> named() {
    return named;
  }

  List<SealedShape> sealedOnes() {
    return sealedOnes;
  }

  Map<Class<?>, NamedShape> byClass() {
    Map<Class<?>, NamedShape> result = new HashMap<>();
    shapes.forEach((type, shape) -> {
      if (shape instanceof NamedShape it) {
        result.put(type, it);
      }
    });
    return result;
  }

  /// Called when all classes are added.
  void finish() {
    sealedOnes.forEach(SealedShape::finish);
  }

  <T> void addCodec(MessageCodec<T> codec) {
    Class<T> type = codec.type();
    if (shapes.containsKey(type) || values.containsKey(type)) {
      throw new IllegalArgumentException(
          "%s has a codec, or is built in, already".formatted(type.getName()));
    }
    own(codec.name(), type);
    CodecShape<T> shape = new CodecShape<>(named.size(), codec);
    named.add(shape);
    shapes.put(type, shape);
  }

  /// @throws IllegalArgumentException when it cannot be sent, with the path to what cannot
  void add(Class<?> type) {
    var _ = shapeOf(type, Map.of(), shortName(type));
  }

  private Shape shapeOf(Type type, Map<TypeVariable<?>, Shape> arguments, String path) {
    if (path.length() > MAX_PATH) {
      throw refused(path, "nested without an end");
    }
    return switch (type) {
      case Class<?> it -> ofClass(it, path);
      case ParameterizedType it -> parameterized(it, arguments, path);
      case WildcardType it -> shapeOf(it.getUpperBounds()[0], arguments, path);
      case TypeVariable<?> it -> {
        Shape shape = arguments.get(it);
        if (shape == null) {
          throw refused(path, it + ", which may be anything");
        }
        yield shape;
      }
      default -> throw refused(path, type.getTypeName() + ALLOWED);
    };
  }

  private static IllegalArgumentException refused(String path, String what) {
    return new IllegalArgumentException("%s is %s".formatted(cut(path), cut(what)));
  }

  private static String cut(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
  }

  // ---- classes ----

  private Shape ofClass(Class<?> type, String path) {
    Shape known = values.get(type);
    if (known == null) {
      known = shapes.get(type);
    }
    if (known != null) {
      return known;
    }
    if (type == Object.class) {
      throw refused(path, "Object, which may be anything" + ALLOWED);
    }
    boolean isGeneric = type.getTypeParameters().length > 0;
    if (isGeneric && (type.isRecord() || PARAMETERIZED.contains(type))) {
      throw refused(
          path, "a raw %s; name its type arguments in a component".formatted(type.getSimpleName()));
    }
    if (type.isRecord()) {
      return ofRecord(type, nameOf(type), Map.of(), path);
    }
    if (type.isEnum()) {
      return ofEnum(type);
    }
    if (type.isInterface() && type.isSealed()) {
      return ofSealed(type, path);
    }
    if (type.isInterface()) {
      throw refused(
          path, "%s, an interface that is not sealed%s".formatted(type.getSimpleName(), ALLOWED));
    }
    throw refused(path, "%s, a class that is no record%s".formatted(type.getSimpleName(), ALLOWED));
  }

  private Shape ofEnum(Class<?> type) {
    String name = nameOf(type);
    own(name, type);
    List<Enum<?>> constants = new ArrayList<>();
    for (Object constant : type.getEnumConstants()) {
      constants.add((Enum<?>) constant);
    }
    EnumShape shape = new EnumShape(name, named.size(), constants);
    named.add(shape);
    shapes.put(type, shape);
    return shape;
  }

  private Shape ofSealed(Class<?> type, String path) {
    String name = nameOf(type);
    own(name, type);
    SealedShape shape = new SealedShape(name);
    sealedOnes.add(shape);
    shapes.put(type, shape);
    List<Shape> permitted = new ArrayList<>();
    for (Class<?> it : type.getPermittedSubclasses()) {
      boolean first = path.equals(shortName(type));
      permitted.add(ofClass(it, first ? shortName(it) : path + " as " + shortName(it)));
    }
    shape.setPermitted(permitted);
    return shape;
  }

  private RecordShape ofRecord(
      Class<?> type, String text, Map<TypeVariable<?>, Shape> arguments, String path) {
    boolean plain = arguments.isEmpty();
    if (plain) {
      own(text, type);
    }
    RecordShape shape = new RecordShape(text, named.size(), constructor(type, path));
    named.add(shape);
    if (plain) {
      shapes.put(type, shape);
    } else {
      generic.put(text, shape);
    }
    List<RecordShape.Component> components = new ArrayList<>();
    for (RecordComponent it : type.getRecordComponents()) {
      String below = path + "." + it.getName();
      Shape of =
          it.getType() == Reply.class
              ? reply(it.getGenericType(), arguments, below)
              : shapeOf(it.getGenericType(), arguments, below);
      components.add(
          new RecordShape.Component(it.getName(), of, accessor(it.getAccessor(), below)));
    }
    shape.setComponents(components);
    if (shape.signature().length() > Limits.TEXT_BYTES / 4) {
      throw refused(path, "too large to be announced: " + shape.signature());
    }
    return shape;
  }

  private ReplyShape reply(Type type, Map<TypeVariable<?>, Shape> arguments, String path) {
    if (!(type instanceof ParameterizedType it)) {
      throw refused(path, "a raw Reply");
    }
    Type of = it.getActualTypeArguments()[0];
    return new ReplyShape(
        of == Void.class
            ? "Void"
            : of == Object.class ? "Object" : shapeOf(of, arguments, path).text());
  }

  // ---- types with arguments ----

  private Shape parameterized(
      ParameterizedType type, Map<TypeVariable<?>, Shape> arguments, String path) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] given = type.getActualTypeArguments();
    if (raw == Map.class) {
      return new CollectionShape.OfMap(
          shapeOf(given[0], arguments, path + "[key]"), shapeOf(given[1], arguments, path + "[]"));
    }
    @Nullable Function<Shape, Shape> collection = COLLECTIONS.get(raw);
    if (collection != null) {
      return collection.apply(shapeOf(given[0], arguments, path + "[]"));
    }
    if (raw == Reply.class) {
      throw refused(path, "a Reply; only a component of a record may be one");
    }
    if (!raw.isRecord()) {
      return ofClass(raw, path);
    }
    Map<TypeVariable<?>, Shape> bound = new HashMap<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < given.length; i++) {
      Shape shape = shapeOf(given[i], arguments, path + "<>");
      bound.put(raw.getTypeParameters()[i], shape);
      texts.add(shape.text());
    }
    own(nameOf(raw), raw);
    String text = nameOf(raw) + "<" + String.join(",", texts) + ">";
    RecordShape known = generic.get(text);
    return known != null ? known : ofRecord(raw, text, bound, path);
  }

  // ---- names ----

  private void own(String name, Class<?> type) {
    if (!name.matches("[\\p{L}\\p{N}._$-]{1,200}")) {
      throw new IllegalArgumentException(
          "the name '%s' of %s: a name has 1 to 200 letters, digits, and . _ $ -"
              .formatted(name, type.getName()));
    }
    Class<?> other = owners.putIfAbsent(name, type);
    if (other != null && other != type) {
      throw new IllegalArgumentException(
          "%s and %s both have the name '%s' between nodes; give one another by @Wire"
              .formatted(other.getName(), type.getName(), name));
    }
  }

  private static String nameOf(Class<?> type) {
    Wire wire = type.getAnnotation(Wire.class);
    return wire == null ? shortName(type) : wire.value();
  }

  /// The binary name without the package, with dots.
  private static String shortName(Class<?> type) {
    String name = type.getName();
    return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
  }

  // ---- reflection ----

  private static MethodHandle constructor(Class<?> type, String path) {
    Class<?>[] parameters =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(parameters);
      open(constructor, type, path);
      return MethodHandles.lookup()
          .unreflectConstructor(constructor)
          .asFixedArity()
          .asSpreader(Object[].class, parameters.length)
          .asType(MethodType.methodType(Object.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("%s: %s".formatted(path, e), e);
    }
  }

  private static MethodHandle accessor(Method accessor, String path) {
    open(accessor, accessor.getDeclaringClass(), path);
    try {
      return MethodHandles.lookup()
          .unreflect(accessor)
          .asType(MethodType.methodType(Object.class, Object.class));
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException("%s: %s".formatted(path, e), e);
    }
  }

  private static void open(AccessibleObject member, Class<?> type, String path) {
    if (!member.trySetAccessible()) {
      throw refused(
          path,
          "in package %s, which its module does not open; add `opens %s to dev.heddle.cluster` to %s"
              .formatted(type.getPackageName(), type.getPackageName(), type.getModule()));
    }
  }
}
