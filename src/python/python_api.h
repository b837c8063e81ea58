/*
 * What the recorder uses of Python's C API, as every version from 3.9 on has it. It is written down
 * here, and not included, so that one library serves all versions, and no header of any is needed
 * to build it. The process that loads the library has these functions.
 */
#ifndef TV_PYTHON_PYTHON_API_H
#define TV_PYTHON_PYTHON_API_H

typedef struct tv_py_object PyObject;
/* Called at each event of a thread, which holds the lock of the interpreter; 0 is success. */
typedef int (*Py_tracefunc)(PyObject *self, PyObject *frame, int event, PyObject *argument);

/* Events, as the interpreter numbers them. */
enum tv_py_event {
    TV_PY_CALL = 0,
    TV_PY_RETURN = 3, /* without an argument: by an exception */
    TV_PY_C_CALL = 4,
    TV_PY_C_EXCEPTION = 5,
    TV_PY_C_RETURN = 6
};

extern PyObject PyType_Type;
extern PyObject _Py_NoneStruct;

void PyEval_SetProfile(Py_tracefunc function, PyObject *self);
/* Called before the interpreter does what the event names; it stays for good. */
int PySys_AddAuditHook(int (*hook)(const char *event, PyObject *arguments, void *ctx), void *ctx);
/* Called on the main thread, soon, between two instructions. */
int Py_AddPendingCall(int (*call)(void *ctx), void *ctx);
PyObject *PyEval_EvalCode(PyObject *code, PyObject *globals, PyObject *locals);
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback);
void PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback);
void PyErr_Clear(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
/* These return a reference that is the caller's. */
PyObject *PyFrame_GetCode(PyObject *frame);
PyObject *PyFrame_GetBack(PyObject *frame);
PyObject *PyObject_GetAttrString(PyObject *object, const char *name);
PyObject *PyObject_Type(PyObject *object);
PyObject *PyObject_CallObject(PyObject *function, PyObject *arguments);
PyObject *PyObject_CallFunctionObjArgs(PyObject *function, ...); /* and a NULL at the end */
/* These borrow. */
PyObject *PyEval_GetFrame(void);
PyObject *PySys_GetObject(const char *name);
PyObject *PyDict_GetItemString(PyObject *dictionary, const char *key);
PyObject *PyCFunction_GetSelf(PyObject *function);
void (*PyCFunction_GetFunction(PyObject *function))(void);
const char *PyUnicode_AsUTF8(PyObject *text);

int PyType_IsSubtype(PyObject *type, PyObject *above);
long PyLong_AsLong(PyObject *number);

#endif
